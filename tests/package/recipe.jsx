"use client";
// The guide's recipe for React and Next, word for word but for the addresses.
import { BookingPicker, configure } from "booking-widget/react";

configure({ files: "/embed/" });

export function Book({ person }) {
  return (
    <BookingPicker
      username="ada"
      eventSlug="intro-call"
      prefill={{ name: person.name, email: person.email }}
      onBookingCreated={({ detail }) => window.told.push(detail.uid)}
    >
      <a href="/ada/intro-call">Book a call</a>
    </BookingPicker>
  );
}
