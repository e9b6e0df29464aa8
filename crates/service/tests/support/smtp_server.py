r"""An SMTP server for tests, with faults that the test switches on and off.

    smtp_server.py FOLDER [--port N] [--tls none|starttls|required|smtps] [--certificate good|expired|other-name|self-signed]
                   [--auth USER:PASSWORD] [--no-smtputf8]

It prints `ready PORT` and stores each message as N.eml with its envelope as N.json in FOLDER. With TLS, the certificate
of its authority is in FOLDER/ca.pem. Each line on standard input is a JSON object with faults, which replace the earlier
ones and are answered with `ok`:

    {"replies": {"RCPT": "550 5.1.1 no such user"}}   answer at CONNECT, EHLO, AUTH, MAIL, RCPT, DATA or DOT (message)
    {"refuse": ["b@example.org"]}                     these recipients get 550 5.1.1
    {"delay": 2.5}                                    each answer comes so many seconds late
    {"greylist": true}                                each recipient gets 451 4.7.1 the first time; a list of addresses
                                                      limits it to these
    {"drop": "before-dot" | "after-dot" | "stored"}   the connection ends in DATA: while the message is received, after it
                                                      was received, or after it was stored too
    {"drops": {"share": 0.01, "seed": 1}}             each of these faults at random, in this share of the messages
    {"mute": true}                                    connections are accepted and never answered
    {"replies": {"MAIL": "endless 250-x\r\n"}}        the text after `endless ` is sent again and again
    {"inject": "250 ok\r\n"}                          sent in plaintext right behind the answer to STARTTLS; nothing is
                                                      answered inside TLS. {"inject": TEXT, "late": 0.5} sends it later

{"stats": true} is answered with counts of connections, messages, commands and random drops of each kind. The server ends with its standard input.
"""

import argparse
import asyncio
import datetime
import json
import logging
import pathlib
import random
import ssl
import sys
import warnings

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, Session


DROPS = ["before-dot", "after-dot", "stored"]


class Server:
    def __init__(self, options):
        self.options = options
        self.folder = pathlib.Path(options.folder)
        self.faults = {}
        self.seen_recipients = set()
        self.stats = {"connections": 0, "messages": 0, "commands": 0, "dropped": dict.fromkeys(DROPS, 0)}
        self.random = None

    def reply(self, stage):
        return self.faults.get("replies", {}).get(stage)

    def set_faults(self, faults):
        self.faults = faults
        if drops := faults.get("drops"):
            self.random = random.Random(drops["seed"])

    def drop(self):
        """How the connection of the next message ends in DATA."""
        drops = self.faults.get("drops")
        if drops is None:
            return self.faults.get("drop")
        if self.random.random() >= drops["share"]:
            return None
        drop = self.random.choice(DROPS)
        self.stats["dropped"][drop] += 1
        return drop

    def is_greylisted(self, address):
        addresses = self.faults.get("greylist")
        if not addresses or address in self.seen_recipients:
            return False
        if addresses is not True and address not in addresses:
            return False
        self.seen_recipients.add(address)
        return True

    def store(self, envelope, session):
        self.stats["messages"] += 1
        number = self.stats["messages"]
        (self.folder / f"{number}.eml").write_bytes(envelope.original_content)
        data = {
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "options": envelope.mail_options,
            "helo": session.host_name,
            "tls": session.ssl is not None or self.options.tls == "smtps",
            "user": session.auth_data.decode() if session.auth_data else None,
        }
        partial = self.folder / f"{number}.partial"
        partial.write_text(json.dumps(data))
        # A reader sees the envelope only once both files are complete.
        partial.rename(self.folder / f"{number}.json")


class Protocol(SMTP):
    def __init__(self, server, **options):
        self.server = server
        self.is_greeting = True
        self.drop = None
        self.is_injecting = False
        super().__init__(Handler(server), **options)

    async def push(self, status):
        faults = self.server.faults
        self.server.stats["commands"] += 1
        while faults.get("mute"):
            await asyncio.sleep(3600)
        if status.startswith("endless "):
            await self.repeat(status.removeprefix("endless "))
        if self.is_injecting:
            await self.inject(status)
            return
        # Not each line of an answer.
        if faults.get("delay") and status[3:4] != "-":
            await asyncio.sleep(faults["delay"])
        if self.is_greeting:
            self.is_greeting = False
            self.server.stats["connections"] += 1
            if self.server.reply("CONNECT"):
                if self.server.reply("CONNECT").startswith("endless "):
                    await self.repeat(self.server.reply("CONNECT").removeprefix("endless "))
                await super().push(self.server.reply("CONNECT"))
                self.transport.close()
                return
        await super().push(status)

    async def repeat(self, text):
        data = text.encode() * 1000
        while not self._writer.transport.is_closing():
            self._writer.write(data)
            await self._writer.drain()
            # With TLS, `drain` does not wait for the end of the connection.
            await asyncio.sleep(0.001)
        raise ConnectionResetError

    async def inject(self, status):
        faults = self.server.faults
        if self.session.ssl is not None:
            await asyncio.sleep(3600)
        if faults.get("late"):
            await super().push(status)
            await asyncio.sleep(faults["late"])
            self._writer.write(faults["inject"].encode())
        else:
            await super().push(f"{status}\r\n{faults['inject']}".removesuffix("\r\n"))

    async def smtp_STARTTLS(self, argument):
        self.is_injecting = "inject" in self.server.faults
        await super().smtp_STARTTLS(argument)

    async def smtp_AUTH(self, argument):
        if self.server.reply("AUTH"):
            return await self.push(self.server.reply("AUTH"))
        await super().smtp_AUTH(argument)

    async def smtp_EHLO(self, name):
        if self.server.reply("EHLO"):
            return await self.push(self.server.reply("EHLO"))
        await super().smtp_EHLO(name)

    async def smtp_DATA(self, argument):
        if self.server.reply("DATA"):
            return await self.push(self.server.reply("DATA"))
        self.drop = self.server.drop()
        if self.drop == "before-dot":
            await self.push("354 go on")
            await self._reader.readline()
            self.transport.abort()
            return
        await super().smtp_DATA(argument)


class Handler:
    def __init__(self, server):
        self.server = server

    async def handle_MAIL(self, protocol, session, envelope, address, options):
        if self.server.reply("MAIL"):
            return self.server.reply("MAIL")
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 OK"

    async def handle_RCPT(self, protocol, session, envelope, address, options):
        if self.server.reply("RCPT"):
            return self.server.reply("RCPT")
        if address in self.server.faults.get("refuse", []):
            return "550 5.1.1 no such user here"
        if self.server.is_greylisted(address):
            return "451 4.7.1 greylisted, try again later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, protocol, session, envelope):
        drop = protocol.drop
        if drop == "after-dot":
            protocol.transport.abort()
            return "250 never sent"
        if self.server.reply("DOT"):
            return self.server.reply("DOT")
        self.server.store(envelope, session)
        if drop == "stored":
            protocol.transport.abort()
        return "250 2.0.0 stored"


def authenticator(expected):
    def check(server, session, envelope, mechanism, data):
        given = f"{data.login.decode()}:{data.password.decode()}"
        if given == expected:
            return AuthResult(success=True, auth_data=data.login)
        return AuthResult(success=False, handled=False, message="535 5.7.8 user or password is wrong")

    return check


def certificate(folder, kind):
    import trustme

    names = ["mail.example.org"] if kind == "other-name" else ["localhost", "127.0.0.1", "::1"]
    now = datetime.datetime.now()
    expired = {"not_before": now - datetime.timedelta(days=9), "not_after": now - datetime.timedelta(days=2)}
    authority = trustme.CA()
    issued = authority.issue_cert(*names, **(expired if kind == "expired" else {}))
    # The authority of a self-signed certificate is unknown to clients.
    known = trustme.CA() if kind == "self-signed" else authority
    known.cert_pem.write_to_path(folder / "ca.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    issued.configure_cert(context)
    return context


async def commands(server):
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        command = json.loads(line)
        if command.get("stats"):
            print(json.dumps(server.stats), flush=True)
        else:
            server.set_faults(command)
            print("ok", flush=True)


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--tls", default="none")
    parser.add_argument("--certificate", default="good")
    parser.add_argument("--auth")
    parser.add_argument("--no-smtputf8", action="store_true")
    options = parser.parse_args()
    server = Server(options)
    context = None
    if options.tls != "none":
        context = certificate(server.folder, options.certificate)
    starttls = options.tls in ("starttls", "required")

    def protocol():
        return Protocol(
            server,
            hostname="mail.test",
            ident="test server",
            enable_SMTPUTF8=not options.no_smtputf8,
            data_size_limit=2**24,
            tls_context=context if starttls else None,
            require_starttls=options.tls == "required",
            auth_required=options.auth is not None,
            auth_exclude_mechanism=[] if options.auth else ["LOGIN", "PLAIN"],
            auth_require_tls=starttls,
            authenticator=authenticator(options.auth) if options.auth else None,
            timeout=600,
        )

    loop = asyncio.get_running_loop()
    listener = await loop.create_server(
        protocol, "127.0.0.1", options.port, ssl=context if options.tls == "smtps" else None
    )
    print(f"ready {listener.sockets[0].getsockname()[1]}", flush=True)
    await commands(server)


# Broken handshakes and logins without encryption are what the tests are about.
logging.disable()
warnings.simplefilter("ignore")
asyncio.run(main())
