import { Trans } from "@lingui/react/macro";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { buildLazyPart } from "../../ui/lazy-part.tsx";

const ClearLogsDialog = buildLazyPart(
  async () => (await import("../../components/clear-logs-dialog.tsx")).ClearLogsDialog,
);

export function ClearLogsCard() {
  const [isClearing, setClearing] = useState(false);
  return (
    <Card
      title={<Trans>Clear logs</Trans>}
      note={<Trans>Balances, ledger and dashboards stay as they are.</Trans>}
    >
      <Button onClick={() => setClearing(true)}>
        <Trans>Clear Logs</Trans>
      </Button>
      {isClearing && <ClearLogsDialog onClose={() => setClearing(false)} />}
    </Card>
  );
}
