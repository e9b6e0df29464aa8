-- Weekly hours and dates of a schedule, read from the index alone.

DROP INDEX schedule_hours_by_schedule;
CREATE INDEX schedule_hours_by_schedule
    ON schedule_hours (schedule_id, on_date, weekday, from_minute, to_minute);
