"""What the detectors need: another server takes them alone, beside what the recipe for it installs."""

import json
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

WANTED = Path(__file__).parents[2] / "recipes" / "presidio" / "requirements.txt"
CODE = """
import json, sys
from tarimba.personal_data.detectors import Detectors
Detectors.local().check({"body": "Falar com Mariana Figueiredo, CPF 529.982.247-25, antes de cancelar."})
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""


def test_the_recipe_for_presidio_installs_all_that_the_detectors_import() -> None:
    run = subprocess.run([sys.executable, "-c", CODE], check=True, capture_output=True, text=True)
    packages = packages_distributions()
    needed = {
        name.lower().replace("_", "-")
        for module in json.loads(run.stdout)
        if module not in sys.stdlib_module_names
        for name in packages.get(module, ())[:1]
    }
    lines = WANTED.read_text(encoding="utf-8").splitlines()
    installed = {line.partition("==")[0] for line in lines if "==" in line}
    assert {"python-crfsuite", "phonenumbers"} <= needed
    assert needed - {"tarimba"} <= installed
