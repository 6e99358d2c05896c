# Runs where systemd is process 1, as its administrator would type it. Prints what the test looks for.
set -euo pipefail
run() {
  systemd-run --quiet --pipe --wait --collect --uid=tarimba \
    -p Environment='TARIMBA_DATA=/var/lib/tarimba TARIMBA_SECRETS_DIR=/etc/tarimba/given' \
    /opt/tarimba/bin/tarimba "$@"
}
# Until the condition holds; the test's own limit ends what never does.
until curl --silent --fail --output /dev/null http://127.0.0.1:8750/readyz; do sleep 0.2; done
run apply /etc/tarimba/company.toml >/dev/null
key=$(run keys mint --agent billing --name prod --scope agent_memory --scope agent_memory:write)
curl --silent --fail-with-body http://127.0.0.1:8750/v1/agent-memory/notes -H "Authorization: Bearer $key" \
  -H 'Content-Type: application/json' \
  -d '{"kind": "pitfall", "title": "Paid twice", "body": "Ask the ERP before a refund is promised."}' >/dev/null
echo "note kept"
systemctl start tarimba-worker.service
for unit in tarimba-verify tarimba-backup; do
  systemctl start "$unit.service"
  echo "$unit: $(systemctl show "$unit" -p Result)"
done
echo "backups: $(find /var/backups/tarimba -name '*.tarimba' -size +0 | wc --lines)"
systemctl start tarimba-workspace@one.service || true
until [ "$(systemctl show tarimba-workspace@one -p ActiveState --value)" = inactive ]; do sleep 0.2; done
journalctl --unit tarimba-workspace@one --output cat --no-pager
for unit in tarimba tarimba-worker; do
  pid=$(systemctl show "$unit" -p MainPID --value)
  echo "$unit: $(grep -E '^(CapBnd|NoNewPrivs|Seccomp):' "/proc/$pid/status" | tr -s '\t\n' ' ')"
  systemctl stop "$unit"
  echo "$unit: $(systemctl show "$unit" -p Result)"
done
echo "upkeep failed: $(journalctl --output cat --no-pager --unit tarimba --unit tarimba-worker | grep --count upkeep.failed || true)"
