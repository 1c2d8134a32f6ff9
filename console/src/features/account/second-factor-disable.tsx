import { Trans, useLingui } from "@lingui/react/macro";
import { disableTotp, getTotpStatus } from "@tollgate/contract/accounts/totp.ts";
import { api } from "../../api-queries.ts";
import { useReauth } from "../../shell/use-reauth.tsx";
import { Dialog } from "../../ui/menu/dialog.tsx";
import { toast } from "../../ui/toast.tsx";
import { CodeForm } from "./code-form.tsx";
import { waysIn } from "./ways-in.ts";

export function SecondFactorDisable({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t } = useLingui();
  const { withReauth, dialog } = useReauth({ byCode: false });
  const turnOff = async (code: string) => {
    const secondFactor = /^[0-9]{6}$/.test(code) ? { totp_code: code } : { recovery_code: code };
    await withReauth((credentials) =>
      api.call(disableTotp, { body: { ...secondFactor, ...credentials } }),
    );
    onClose();
    toast(t`The second factor is off`);
    await Promise.all([getTotpStatus, ...waysIn].map(api.refresh));
  };
  return (
    <>
      <Dialog open={open} onClose={onClose} title={<Trans>Turn off second factor</Trans>}>
        <CodeForm
          label={t`Code of the app or a recovery code`}
          help={t`After that, your password alone signs you in. All your other sessions are signed out.`}
          submit={<Trans>Turn off</Trans>}
          danger
          acceptsRecoveryCode
          onCode={turnOff}
        />
      </Dialog>
      {dialog}
    </>
  );
}
