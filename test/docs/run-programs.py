"""Runs Python programs one after the other, and prints as JSON what each of them printed, by the name of its file."""

import contextlib, io, json, pathlib, runpy, sys, traceback

results = {}
for path in sys.argv[1:]:
    printed, error = io.StringIO(), None
    try:
        with contextlib.redirect_stdout(printed):
            runpy.run_path(path)
    except Exception:
        error = traceback.format_exc()
    results[pathlib.Path(path).stem] = {"printed": printed.getvalue(), "error": error}
print(json.dumps(results))
