import { Trans } from "@lingui/react/macro";
import { useState } from "react";
import { lazyDialog } from "../../pieces/lazy-dialog.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";

const ClearLogsDialog = lazyDialog(async () => (await import("../../pieces/clear-logs-dialog.tsx")).ClearLogsDialog);

export function ClearLogsCard() {
  const [asking, setAsking] = useState(false);
  return (
    <Card title={<Trans>Clear logs</Trans>} note={<Trans>Balances, ledger and dashboards stay as they are.</Trans>}>
      <Button onClick={() => setAsking(true)}>
        <Trans>Clear Logs</Trans>
      </Button>
      {asking && <ClearLogsDialog onClose={() => setAsking(false)} />}
    </Card>
  );
}
