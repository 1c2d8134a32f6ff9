import { useLingui } from "@lingui/react/macro";
import { Check } from "lucide-react";
import { useState } from "react";
import { copyText } from "./copy-text.ts";
import { IconButton } from "./icon-button.tsx";
import { copyIcon } from "./line-icon.tsx";

const confirmedForMs = 2_000;

type CopyButtonProps = { text: string; label: string; onFailed?: () => void };

/**
 * Confirms for two seconds. Without a secure context it selects the text and shows the key to
 * press.
 */
export function CopyButton({ text, label, onFailed }: CopyButtonProps) {
  const { t } = useLingui();
  const { outcome, copy } = useCopy();
  // The status is there before its text comes, or it would not be read out; but not in a hundred
  // rows from the start.
  const [isUsed, setUsed] = useState(false);
  const shownLabel =
    outcome === "copied"
      ? t`Copied!`
      : outcome === "selected"
        ? t`Selected: press Ctrl+C to copy`
        : label;
  return (
    <>
      <IconButton
        label={shownLabel}
        size="sm"
        icon={outcome === "copied" ? <Check className="text-good" /> : copyIcon}
        onClick={(event) => {
          setUsed(true);
          void copy(text, event.currentTarget).then(
            (result) => result === "failed" && onFailed?.(),
          );
        }}
      />
      {isUsed && (
        <span role="status" className="sr-only">
          {outcome === "idle" || outcome === "failed" ? "" : shownLabel}
        </span>
      )}
    </>
  );
}

export type CopyOutcome = "idle" | "copied" | "selected" | "failed";

/** `useCopy` is for buttons that show their confirmation as a word ("Copied!"). */
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
