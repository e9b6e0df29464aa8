"""Parses HTML documents, separated by NUL, and writes what a test checks as one line of JSON for each."""

import json
import sys
from html.parser import HTMLParser

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}

# Of pages, which opens that of the app instead. Messages have none.
SCRIPT = 'location.replace(document.querySelector("link[rel=alternate]").href)'


class Checker(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.stack, self.errors, self.links, self.text, self.meta = [], [], [], [], {}
        self.hidden, self.fields, self.forms, self.root, self.title = 0, [], [], {}, ""

    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        values = {name: value or "" for name, value in attributes}
        if len(names) != len(set(names)):
            self.errors.append(f"attribute twice in {tag}")
        for name, value in values.items():
            if name.startswith("on") or name in ("srcset", "background", "poster", "action"):
                self.errors.append(f"{tag} has {name}")
            if name == "src" and not value.startswith("data:image/"):
                self.errors.append(f"{tag} loads {value}")
            if name == "style" and ("url(" in value or "expression" in value or "\n" in value):
                self.errors.append(f"style {value}")
        if tag == "link" and (sorted(values) != ["href", "rel"] or values["rel"] != "alternate"):
            self.errors.append(f"link {values}")
        if tag == "script" and (values or "robots" not in self.meta):
            self.errors.append("script in a message, or with attributes")
        if tag in ("iframe", "object", "embed", "base", "svg", "video", "audio", "input"):
            self.errors.append(f"element {tag}")
        if tag == "a":
            self.links.append(values.get("href"))
        if tag == "meta" and "name" in values:
            self.meta[values["name"]] = values.get("content")
        if tag == "html":
            self.root = values
        if tag == "form":
            self.forms.append(values.get("method"))
        if tag in ("textarea", "button"):
            self.fields.append([tag, values.get("name"), values.get("maxlength")])
        if tag == "img" and "alt" not in values:
            self.errors.append("img without alt")
        if tag in VOID:
            return
        is_hidden = tag in ("title", "style", "script", "textarea") or "display:none" in values.get("style", "")
        self.stack.append((tag, is_hidden))
        self.hidden += is_hidden

    def handle_endtag(self, tag):
        if not self.stack or self.stack[-1][0] != tag:
            self.errors.append(f"</{tag}> closes {self.stack[-1:]}")
            return
        self.hidden -= self.stack.pop()[1]

    def handle_data(self, data):
        if self.stack and self.stack[-1][0] == "title":
            self.title += data
        if self.stack and self.stack[-1][0] == "style" and ("url(" in data or "@import" in data):
            self.errors.append("style loads something")
        if self.stack and self.stack[-1][0] == "script" and data != SCRIPT:
            self.errors.append(f"script {data}")
        if not self.hidden:
            self.text.append(data)


for document in sys.stdin.buffer.read().decode().split("\0"):
    checker = Checker()
    if not document.startswith("<!doctype html>"):
        checker.errors.append("no doctype")
    checker.feed(document)
    checker.close()
    if checker.stack:
        checker.errors.append(f"open: {checker.stack}")
    print(json.dumps({
        "errors": checker.errors, "links": checker.links, "text": "".join(checker.text), "title": checker.title,
        "lang": checker.root.get("lang"), "dir": checker.root.get("dir"), "meta": checker.meta,
        "forms": checker.forms, "fields": checker.fields,
    }))
