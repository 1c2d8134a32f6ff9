import { Trans, useLingui } from "@lingui/react/macro";
import { confirmTotp, getTotpStatus } from "@tollgate/contract/accounts/totp.ts";
import { Download } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { api } from "../../api-queries.ts";
import { formatSystemName, useSession } from "../../session.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { useCopy } from "../../ui/copy-button.tsx";
import { Secret } from "../../ui/form/secret.tsx";
import { Dialog } from "../../ui/menu/dialog.tsx";
import { saveText } from "../../ui/save-file.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { CodeForm } from "./code-form.tsx";
import { waysIn } from "./ways-in.ts";

const QrCode = lazy(async () => ({ default: (await import("./qr-code.tsx")).QrCode }));

export type TotpSetup = { secret: string; qr_code: string };

type SecondFactorEnrolProps = { setup: TotpSetup | undefined; onClose: () => void };

/** Scan, confirm, then save the recovery codes, all in one dialog. */
export function SecondFactorEnrol({ setup, onClose }: SecondFactorEnrolProps) {
  const { t } = useLingui();
  const [codes, setCodes] = useState<readonly string[]>();
  const close = async () => {
    setCodes(undefined);
    onClose();
    // Not before closing: once the factor is on, the component that holds this dialog unmounts.
    if (codes !== undefined) await Promise.all([getTotpStatus, ...waysIn].map(api.refresh));
  };
  return (
    <Dialog
      open={setup !== undefined}
      // The codes are shown only once, so only the button of the panel closes the dialog.
      locked={codes !== undefined}
      onClose={() => void close()}
      title={codes === undefined ? t`Set up second factor` : t`Recovery codes`}
    >
      {setup !== undefined &&
        (codes === undefined ? (
          <EnrolmentForm
            setup={setup}
            onCode={async (totp_code) => {
              const { data } = await api.call(confirmTotp, { body: { totp_code } });
              setCodes(data.recovery_codes);
            }}
          />
        ) : (
          <RecoveryCodesPanel codes={codes} onDone={() => void close()} />
        ))}
    </Dialog>
  );
}

function EnrolmentForm({
  setup,
  onCode,
}: {
  setup: TotpSetup;
  onCode: (code: string) => Promise<void>;
}) {
  const { t } = useLingui();
  return (
    <div className="flex flex-col gap-4">
      <p>
        <Trans>
          Scan this with an authenticator app, or type the secret in. Then enter the code that it
          shows.
        </Trans>
      </p>
      <div className="flex flex-col items-center gap-2">
        <Suspense fallback={<Skeleton className="size-48" />}>
          <QrCode text={setup.qr_code} label={t`QR code for the authenticator app`} />
        </Suspense>
        <Secret
          text={setup.secret}
          masked={`${setup.secret.slice(0, 4)}${"•".repeat(12)}`}
          label={t`secret`}
        />
      </div>
      <CodeForm
        label={t`Code of the app`}
        submit={<Trans>Turn on</Trans>}
        help={t`All your other sessions are signed out.`}
        onCode={onCode}
      />
    </div>
  );
}

function RecoveryCodesPanel({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const { status, user } = useSession();
  const { outcome, copy } = useCopy();
  const text = codes.join("\n");
  const heading = `${formatSystemName(status)} · ${user?.username ?? ""}`;
  return (
    <div className="flex flex-col gap-4">
      <Alert tone="warn" title={<Trans>These codes are shown only once</Trans>}>
        <Trans>
          Each code works once, for when you cannot use the app. Store them apart from your
          password.
        </Trans>
      </Alert>
      <pre className="rounded-md sm:columns-2 bg-sunken p-3 text-center font-mono">{text}</pre>
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={(event) => void copy(text, event.currentTarget)}>
          {outcome === "copied" ? (
            <Trans>Copied!</Trans>
          ) : outcome === "selected" ? (
            <Trans>Selected: press Ctrl+C to copy</Trans>
          ) : (
            <Trans>Copy all</Trans>
          )}
        </Button>
        <Button
          icon={<Download />}
          onClick={() => saveText("recovery-codes.txt", `${heading}\n\n${text}\n`)}
        >
          <Trans>Download</Trans>
        </Button>
        <Button variant="primary" onClick={onDone}>
          <Trans>I have saved them</Trans>
        </Button>
      </div>
    </div>
  );
}
