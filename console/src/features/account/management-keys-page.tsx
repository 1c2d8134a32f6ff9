import { Trans, useLingui } from "@lingui/react/macro";
import { useManagementKeys } from "../../components/management-keys/use-management-keys.tsx";
import { useReauth } from "../../shell/use-reauth.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Page } from "../../ui/page.tsx";

export function ManagementKeysPage() {
  const { t } = useLingui();
  const { withReauth, dialog } = useReauth();
  const { isMaking, begin, form, list } = useManagementKeys(withReauth);
  return (
    <Page
      title={t`Management keys`}
      subtitle={t`For programs that manage this gateway: each may do a part of what you may, and ends`}
      action={
        !isMaking && (
          <Button variant="primary" onClick={begin}>
            <Trans>New key</Trans>
          </Button>
        )
      }
    >
      {form}
      <Card title={<Trans>Keys</Trans>}>{list}</Card>
      {dialog}
    </Page>
  );
}
