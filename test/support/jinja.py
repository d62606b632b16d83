"""The real Jinja's answers to the templates of a golden file, in the settings of existing definitions.

A golden file has a JSON text a line: the context, then pairs of a template and its text, null where Jinja refuses it.

jinja.py FILE           prints the texts as one list
jinja.py FILE --write   writes them into the file
"""

import json
import sys

from jinja2 import Environment

path = sys.argv[1]
with open(path, encoding="utf-8") as file:
    context, *cases = [json.loads(line) for line in file]
environment = Environment(trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)


def render(template):
    # Templates may change what they are given: each has a context of its own.
    try:
        return environment.from_string(template).render(json.loads(json.dumps(context)))
    except Exception:
        return None


answers = [render(template) for template, _ in cases]
if "--write" in sys.argv:
    with open(path, "w", encoding="utf-8") as file:
        for line in [context, *([template, answer] for (template, _), answer in zip(cases, answers))]:
            file.write(json.dumps(line) + "\n")
else:
    json.dump(answers, sys.stdout)
