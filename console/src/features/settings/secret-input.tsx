import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useState } from "react";
import { useWatch } from "react-hook-form";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { PasswordField } from "../../ui/form/field-text.tsx";
import { Confirm } from "../../ui/menu/confirm.tsx";
import { toast } from "../../ui/toast.tsx";
import { clearSecret } from "./use-options.ts";

type SecretInputProps = { name: string; label: string; help: ReactNode; isSet: boolean };

/** A write-only secret: shows only whether it is set. */
export function SecretInput({ name, label, help, isSet }: SecretInputProps) {
  const { t } = useLingui();
  const [isReplacing, setReplacing] = useState(false);
  const [isClearing, setClearing] = useState(false);
  const typed: unknown = useWatch({ name });
  if (!isSet || isReplacing || typed !== "") {
    return (
      <PasswordField
        name={name}
        label={label}
        help={help}
        aside={isSet ? <Badge tone="good">{t`Set`}</Badge> : <Badge>{t`Not set`}</Badge>}
        placeholder={isSet ? t`Leave empty to keep the current one` : undefined}
        autoComplete="new-password"
      />
    );
  }
  return (
    <div className="flex flex-col gap-1.5">
      <p className="flex flex-wrap items-center justify-between gap-x-3">
        <span className="font-medium">{label}</span>
        <Badge tone="good">
          <Trans>Set</Trans>
        </Badge>
      </p>
      <div className="flex gap-2">
        <Button size="sm" onClick={() => setReplacing(true)} aria-label={t`Replace ${label}`}>
          <Trans>Replace</Trans>
        </Button>
        <Button size="sm" onClick={() => setClearing(true)} aria-label={t`Clear ${label}`}>
          <Trans>Clear</Trans>
        </Button>
      </div>
      {help !== undefined && <p className="text-muted text-sm">{help}</p>}
      <Confirm
        open={isClearing}
        onClose={() => setClearing(false)}
        title={t`Clear ${label}`}
        question={t`Clear ${label}? Everything that needs it stops working.`}
        confirmLabel={<Trans>Clear</Trans>}
        onConfirm={async () => {
          await clearSecret(name);
          toast(t`${label} cleared`);
        }}
      />
    </div>
  );
}
