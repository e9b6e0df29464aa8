"""Reads messages for tests, and makes keys for their signatures.

    mail_tool.py keys FOLDER             writes rsa.pem (PKCS #8), rsa1.pem (PKCS #1) and ed25519.pem, and NAME.dns with the
                                         DNS record of each
    mail_tool.py read FOLDER [KEYS]      prints the messages N.eml in FOLDER with their envelopes as a JSON list; signatures
                                         are verified with the records in KEYS, where the selector is the name
    mail_tool.py local                   reads a JSON list of [instant, time zone] and prints [year, month, day, hour, minute,
                                         offset in minutes] of each
"""

import base64
import datetime
import email
import email.header
import email.policy
import email.utils
import html
import json
import pathlib
import re
import sys
import zoneinfo


def make_keys(folder):
    from cryptography.hazmat.primitives import serialization as form
    from cryptography.hazmat.primitives.asymmetric import ed25519, rsa

    def write(name, key, private_format, kind, public):
        pem = key.private_bytes(form.Encoding.PEM, private_format, form.NoEncryption())
        (folder / f"{name}.pem").write_bytes(pem)
        record = f"v=DKIM1; k={kind}; p={base64.b64encode(public).decode()}"
        (folder / f"{name}.dns").write_text(record)

    key = rsa.generate_private_key(65537, 2048)
    public = key.public_key().public_bytes(form.Encoding.DER, form.PublicFormat.SubjectPublicKeyInfo)
    write("rsa", key, form.PrivateFormat.PKCS8, "rsa", public)
    write("rsa1", key, form.PrivateFormat.TraditionalOpenSSL, "rsa", public)
    key = ed25519.Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes(form.Encoding.Raw, form.PublicFormat.Raw)
    write("ed25519", key, form.PrivateFormat.PKCS8, "ed25519", public)
    small = rsa.generate_private_key(65537, 1024)
    write("small", small, form.PrivateFormat.PKCS8, "rsa", b"")


def read(path, keys):
    raw = path.read_bytes()
    message = email.message_from_bytes(raw, policy=email.policy.default)
    lines = raw.split(b"\r\n")
    data = {
        "envelope": json.loads(path.with_suffix(".json").read_text()),
        "headers": [[name, utf8(str(value))] for name, value in message.items()],
        "addresses": {
            name: addresses(raw, name) for name in ("From", "Reply-To", "To") if message[name]
        },
        "type": message.get_content_type(),
        "parts": [part(each) for each in message.walk() if not each.is_multipart()],
        "structure": structure(message),
        "defects": [repr(defect) for each in message.walk() for defect in each.defects]
        + [repr(defect) for _, value in message.items() for defect in value.defects],
        "longest_line": max(len(line) for line in lines),
        "bare_line_ends": sum(b"\r" in line or b"\n" in line for line in lines),
        "is_ascii": raw.isascii(),
        "has_nul": b"\0" in raw,
    }
    data["calendar"] = calendar(data["parts"])
    data["decoded"] = decoded(raw, data)
    if keys:
        import dkim

        def record(name, **_):
            selector = name.decode().split(".")[0]
            return (keys / f"{selector}.dns").read_bytes()

        data["signature"] = message["DKIM-Signature"]
        data["is_signed"] = dkim.verify(raw, dnsfunc=record)
    return data


def calendar(parts):
    """Invitation as the library `icalendar` reads it."""
    texts = [part["text"] for part in parts if part["type"] == "text/calendar"]
    if not texts:
        return None
    import icalendar

    def instant(event, name):
        if name not in event:
            return None
        at = event[name].dt.astimezone(datetime.timezone.utc)
        return at.strftime("%Y-%m-%dT%H:%M:%SZ")

    def address(value):
        return str(value).removeprefix("mailto:").removeprefix("MAILTO:").lower()

    def people(event, name):
        values = event.get(name, [])
        values = values if isinstance(values, list) else [values]
        return [[str(value.params.get("CN", "")), address(value)] for value in values]

    try:
        parsed = icalendar.Calendar.from_ical(texts[0])
    except ValueError as error:
        return {"error": str(error)}
    events = parsed.walk("VEVENT")
    return {
        "method": str(parsed["METHOD"]),
        "names": sorted({component.name for component in parsed.walk()}),
        "properties": sorted({name for event in events for name in event}),
        "events": [
            {
                "uid": str(event.get("UID", "")),
                "sequence": int(event.get("SEQUENCE", 0)),
                "status": str(event.get("STATUS", "")),
                "summary": str(event.get("SUMMARY", "")),
                "start": instant(event, "DTSTART"),
                "end": instant(event, "DTEND"),
                "recurrence_id": instant(event, "RECURRENCE-ID"),
                "rrule": event["RRULE"].to_ical().decode() if "RRULE" in event else None,
                "zone": event["DTSTART"].params.get("TZID") if "DTSTART" in event else None,
                "organizer": people(event, "ORGANIZER"),
                "attendees": people(event, "ATTENDEE"),
            }
            for event in events
        ],
    }


def decoded(raw, data):
    """All that a message reveals: its bytes, headers and parts decoded, and the bytes in the tokens of its links."""
    texts = [raw.decode("utf-8", "replace"), json.dumps(data["addresses"], ensure_ascii=False)]
    texts += [f"{name}: {value}" for name, value in data["headers"]]
    for each in data["parts"]:
        texts += [each["text"], html.unescape(each["text"]), re.sub(r"\r?\n[ \t]", "", each["text"])]
    for token in set(re.findall(r"[A-Za-z0-9_-]{16,}", "\n".join(texts[2:]))):
        try:
            found = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
        except ValueError:
            continue
        texts += [found.decode("latin-1"), found.hex()]
    return "\n".join(texts)


def local(pairs):
    for instant, zone in pairs:
        at = datetime.datetime.fromisoformat(instant.replace("Z", "+00:00")).astimezone(zoneinfo.ZoneInfo(zone))
        offset = at.utcoffset() // datetime.timedelta(minutes=1)
        yield [at.year, at.month, at.day, at.hour, at.minute, offset]


def utf8(text):
    """Headers of messages with SMTPUTF8 are bytes to Python."""
    return text.encode("utf-8", "surrogateescape").decode()


def addresses(raw, name):
    """Names and addresses. Python's newer parser keeps the spaces between encoded words of a name (RFC 2047, 6.2)."""
    head = re.sub(r"\r\n(?=[ \t])", "", raw.split(b"\r\n\r\n")[0].decode())
    (value,) = re.findall(rf"^{name}: (.*?)\r?$", head, re.MULTILINE)
    return [
        [str(email.header.make_header(email.header.decode_header(shown))), address]
        for shown, address in email.utils.getaddresses([value])
    ]


def structure(message):
    if not message.is_multipart():
        return message.get_content_type()
    return [message.get_content_type(), *map(structure, message.iter_parts())]


def part(each):
    content = each.get_content()
    if each.get_content_maintype() == "image":
        content = base64.b64encode(content).decode()
    elif isinstance(content, bytes):
        content = content.decode()
    return {
        "type": each.get_content_type(),
        "parameters": dict(each["Content-Type"].params),
        "encoding": each["Content-Transfer-Encoding"],
        "disposition": each.get_content_disposition(),
        "filename": each.get_filename(),
        "content_id": each["Content-ID"],
        "text": content,
    }


def main():
    if sys.argv[1:] == ["local"]:
        print(json.dumps(list(local(json.load(sys.stdin)))))
        return
    command, folder, *rest = sys.argv[1:]
    folder = pathlib.Path(folder)
    if command == "keys":
        make_keys(folder)
        return
    keys = pathlib.Path(rest[0]) if rest else None
    envelopes = sorted(folder.glob("*.json"), key=lambda path: int(path.stem))
    print(json.dumps([read(path.with_suffix(".eml"), keys) for path in envelopes]))


main()
