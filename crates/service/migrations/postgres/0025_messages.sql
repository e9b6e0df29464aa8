-- Messages: see ../0025_messages.sql.

CREATE INDEX webhooks_of_meetings ON webhooks (id) WHERE active = 1 AND strpos(triggers, '"MEETING_') > 0;

CREATE INDEX event_types_with_reminders ON event_types (id) WHERE strpos(settings, '"emailReminders"') > 0;
