-- What only version 1 of the interface asks for.

-- Apps that people have connected.
CREATE TABLE app_credentials (
    id INTEGER PRIMARY KEY,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    app_slug TEXT NOT NULL,
    -- Encrypted with the service's own key, and never told.
    sealed_key BLOB NOT NULL,
    created_ms BIGINT NOT NULL
);
CREATE INDEX app_credentials_by_user ON app_credentials (user_id);

-- Where bookings are to be written.
CREATE TABLE destination_calendars (
    id INTEGER PRIMARY KEY,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    integration TEXT NOT NULL,
    external_id TEXT NOT NULL,
    event_type_id BIGINT REFERENCES event_types (id) ON DELETE CASCADE,
    booking_id BIGINT REFERENCES bookings (id) ON DELETE CASCADE,
    credential_id BIGINT REFERENCES app_credentials (id) ON DELETE CASCADE
);
CREATE INDEX destination_calendars_by_user ON destination_calendars (user_id);
CREATE INDEX destination_calendars_by_event_type ON destination_calendars (event_type_id)
    WHERE event_type_id IS NOT NULL;
CREATE INDEX destination_calendars_by_booking ON destination_calendars (booking_id)
    WHERE booking_id IS NOT NULL;
CREATE INDEX destination_calendars_by_credential ON destination_calendars (credential_id)
    WHERE credential_id IS NOT NULL;

-- Where people's time is taken.
CREATE TABLE selected_calendars (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    integration TEXT NOT NULL,
    external_id TEXT NOT NULL,
    credential_id BIGINT REFERENCES app_credentials (id) ON DELETE CASCADE,
    PRIMARY KEY (user_id, integration, external_id)
);
CREATE INDEX selected_calendars_by_credential ON selected_calendars (credential_id)
    WHERE credential_id IS NOT NULL;

-- Hours that were given together have one id: that of the first of them, which itself has none here.
ALTER TABLE schedule_hours ADD COLUMN line_id BIGINT;
UPDATE schedule_hours SET line_id = (
    SELECT min(o.id) FROM schedule_hours o
    WHERE o.schedule_id = schedule_hours.schedule_id AND o.weekday IS NOT NULL
      AND o.from_minute = schedule_hours.from_minute AND o.to_minute = schedule_hours.to_minute
) WHERE weekday IS NOT NULL;
UPDATE schedule_hours SET line_id = NULL WHERE line_id = id;

-- What is asked for bookings. A booking that replaces another one takes over its payment.
CREATE TABLE payments (
    id INTEGER PRIMARY KEY,
    booking_id BIGINT NOT NULL UNIQUE REFERENCES bookings (id) ON DELETE CASCADE,
    -- Minor units of the currency.
    amount BIGINT NOT NULL,
    fee BIGINT NOT NULL DEFAULT 0,
    currency TEXT NOT NULL,
    success BIGINT NOT NULL DEFAULT 0,
    refunded BIGINT NOT NULL DEFAULT 0,
    payment_option TEXT NOT NULL DEFAULT 'ON_BOOKING',
    app_id TEXT
);

INSERT INTO payments (booking_id, amount, currency, success)
SELECT b.id, coalesce(json_extract(e.settings, '$.price'), 0),
       coalesce(json_extract(e.settings, '$.currency'), 'usd'), b.paid
FROM bookings b LEFT JOIN event_types e ON e.id = b.event_type_id
WHERE b.paid IS NOT NULL AND b.rescheduled_to_uid IS NULL;

CREATE TRIGGER bookings_ask_for_payment
AFTER INSERT ON bookings
WHEN NEW.paid IS NOT NULL
BEGIN
    UPDATE payments SET booking_id = NEW.id, success = NEW.paid
    WHERE booking_id = (SELECT id FROM bookings WHERE uid = NEW.rescheduled_from_uid);
    INSERT INTO payments (booking_id, amount, currency, success)
    SELECT NEW.id, coalesce(json_extract(e.settings, '$.price'), 0),
           coalesce(json_extract(e.settings, '$.currency'), 'usd'), NEW.paid
    FROM (SELECT 1) LEFT JOIN event_types e ON e.id = NEW.event_type_id
    WHERE NOT EXISTS (SELECT 1 FROM payments WHERE booking_id = NEW.id);
END;

CREATE TRIGGER payments_follow_their_bookings
AFTER UPDATE OF paid ON bookings
WHEN NEW.paid IS NOT NULL
BEGIN
    UPDATE payments SET success = NEW.paid WHERE booking_id = NEW.id;
END;
