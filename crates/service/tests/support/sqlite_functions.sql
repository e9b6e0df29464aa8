-- Functions of SQLite in statements of tests, for PostgreSQL. The service uses none of them.
CREATE FUNCTION json_set(document text, path text, value text) RETURNS text LANGUAGE sql AS $$
    SELECT jsonb_set(document::jsonb, string_to_array(substr(path, 3), '.'), to_jsonb(value))::text
$$;
CREATE FUNCTION json_set(document text, path text, value json) RETURNS text LANGUAGE sql AS $$
    SELECT jsonb_set(document::jsonb, string_to_array(substr(path, 3), '.'), value::jsonb)::text
$$;
CREATE FUNCTION printf(format text, count integer, letter text) RETURNS text LANGUAGE sql AS $$
    SELECT repeat(letter, count)
$$;
CREATE FUNCTION printf(format text, number integer) RETURNS text LANGUAGE sql AS $$
    SELECT replace(format, '%012d', lpad(number::text, 12, '0'))
$$;
CREATE FUNCTION zeroblob(length integer) RETURNS bytea LANGUAGE sql AS $$
    SELECT decode(repeat('00', length), 'hex')
$$;
CREATE FUNCTION hex(bytes bytea) RETURNS text LANGUAGE sql AS $$
    SELECT upper(encode(bytes, 'hex'))
$$;
CREATE FUNCTION unixepoch(instant text) RETURNS bigint LANGUAGE sql AS $$
    SELECT extract(epoch FROM instant::timestamptz)::bigint
$$;
CREATE FUNCTION strftime(format text, instant text) RETURNS bigint LANGUAGE sql AS $$
    SELECT extract(epoch FROM instant::timestamp AT TIME ZONE 'UTC')::bigint
$$;
CREATE FUNCTION date(day text, shift text) RETURNS text LANGUAGE sql AS $$
    SELECT (day::date + shift::interval)::date::text
$$;
