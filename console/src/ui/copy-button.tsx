import { useLingui } from "@lingui/react/macro";
import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { copyText } from "./copy-text.ts";
import { IconButton } from "./icon-button.tsx";

const confirmedForMs = 2_000;

type CopyButtonProps = { text: string; label: string; onFailed?: () => void };

/** Confirms for two seconds. Without a secure context it selects the text and shows the key to press. */
export function CopyButton({ text, label, onFailed }: CopyButtonProps) {
  const { t } = useLingui();
  const { outcome, copy } = useCopy();
  const shownLabel =
    outcome === "copied" ? t`Copied!` : outcome === "selected" ? t`Selected: press Ctrl+C to copy` : label;
  return (
    <>
      <IconButton
        label={shownLabel}
        size="sm"
        icon={outcome === "copied" ? <Check className="text-good" /> : <Copy />}
        onClick={(event) => {
          void copy(text, event.currentTarget).then((result) => result === "failed" && onFailed?.());
        }}
      />
      <span role="status" className="sr-only">
        {outcome === "idle" || outcome === "failed" ? "" : shownLabel}
      </span>
    </>
  );
}

export type CopyOutcome = "idle" | "copied" | "selected" | "failed";

/** For buttons that show their confirmation as a word ("Copied!"). */
export function useCopy() {
  const [outcome, setOutcome] = useState<CopyOutcome>("idle");
  const copy = async (text: string, near?: Element) => {
    const result = await copyText(text, near);
    setOutcome(result);
    setTimeout(() => setOutcome("idle"), confirmedForMs);
    return result;
  };
  return { outcome, copy };
}
