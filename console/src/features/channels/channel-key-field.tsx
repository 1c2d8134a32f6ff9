import { useLingui } from "@lingui/react/macro";
import clsx from "clsx";
import { Eye, EyeOff } from "lucide-react";
import { useState } from "react";
import { FieldFrame, useField } from "../../ui/field.tsx";
import type { FieldOf } from "../../ui/form-contract.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { Textarea } from "../../ui/input.tsx";

/** Write-only. Several lines make several channels, so it is a text area that hides what it holds. */
export function ChannelKeyField({ name, stored }: FieldOf<string> & { stored: string | undefined }) {
  const { t } = useLingui();
  const [isShown, setShown] = useState(false);
  const help =
    stored === undefined
      ? t`One channel is created for each line.`
      : stored === ""
        ? t`No key is stored.`
        : t`The stored key ends in ${stored}. Leave empty to keep it.`;
  const { id, field, error, aria } = useField<string>(name, { help, required: stored === undefined });
  const isEmpty = field.value === "";
  return (
    <FieldFrame id={id} label={t`API Key`} help={help} error={error}>
      <div className="relative">
        <Textarea
          {...field}
          {...aria}
          rows={isEmpty || stored !== undefined ? 1 : Math.min(6, field.value.split("\n").length)}
          autoComplete="off"
          spellCheck={false}
          placeholder={stored ? `****${stored}` : ""}
          className={clsx(
            "min-h-9 resize-none pr-10 font-mono text-sm!",
            !isShown && !isEmpty && "[-webkit-text-security:disc]",
          )}
        />
        <IconButton
          size="sm"
          label={isShown ? t`Hide API key` : t`Show API key`}
          icon={isShown ? <EyeOff /> : <Eye />}
          aria-pressed={isShown}
          onClick={() => setShown(!isShown)}
          className="absolute top-0.5 right-0.5"
        />
      </div>
    </FieldFrame>
  );
}
