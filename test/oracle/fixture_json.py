"""The JSON side of the fixtures: camelCase options, one case per line."""
import json
import re


def snake_case(options):
    """{'paddingMode': 'reflect'} -> {'padding_mode': 'reflect'}, lists as tuples, as PyTorch wants them."""
    return {
        re.sub("[A-Z]", lambda letter: "_" + letter.group().lower(), name):
            tuple(value) if isinstance(value, list) else value
        for name, value in options.items()
    }


def write_json(path, fields):
    """Lists of objects get one line per object; everything else one line per field."""
    lines = []
    for name, value in fields.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            rows = ",\n".join("    " + json.dumps(row, allow_nan=False) for row in value)
            lines.append(f"  {json.dumps(name)}: [\n{rows}\n  ]")
        else:
            lines.append(f"  {json.dumps(name)}: {json.dumps(value, allow_nan=False)}")
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
