-- Settings that clients of the interface send routinely.

-- Settings of a team that have no effect here, as a JSON object of the interface's own fields.
ALTER TABLE teams ADD COLUMN settings TEXT NOT NULL DEFAULT '{}';

-- Version 1 calls it eventName and kept it for itself; both versions mean the title of bookings.
UPDATE event_types
SET settings = json_remove(
    json_set(settings, '$.customName', json_extract(settings, '$.versionOne.eventName')),
    '$.versionOne.eventName')
WHERE json_type(settings, '$.versionOne.eventName') = 'text'
    AND json_type(settings, '$.customName') IS NULL;
