import { Trans, useLingui } from "@lingui/react/macro";
import { EyeOff } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { CopyButton } from "../copy-button.tsx";
import { IconButton } from "../icon-button.tsx";
import { eye } from "../line-icon.tsx";

type SecretProps = { text: string; masked: string; label: string; startsShown?: boolean };

/** A masked secret with buttons to reveal and copy it. */
export function Secret({ text, masked, label, startsShown = false }: SecretProps) {
  const { t } = useLingui();
  const shown = useRef<HTMLElement>(null);
  const [isShown, setShown] = useState(startsShown);
  const [mustCopyByHand, setMustCopyByHand] = useState(false);
  useEffect(() => {
    if (!mustCopyByHand || shown.current === null) return;
    getSelection()?.selectAllChildren(shown.current);
  }, [mustCopyByHand]);
  // Without a secure context a hidden text cannot be selected: shows it, selects it, and tells the
  // user what to press.
  const selectInstead = () => {
    setShown(true);
    setMustCopyByHand(true);
  };
  const toggle = () => {
    setShown(!isShown);
    setMustCopyByHand(false);
  };
  return (
    <span className="inline-flex max-w-full items-center">
      <code
        ref={shown}
        className={
          isShown
            ? "mr-1 w-56 whitespace-normal break-all text-left font-mono text-xs"
            : "mr-1 whitespace-nowrap font-mono text-muted text-sm"
        }
      >
        {isShown ? text : masked}
      </code>
      <IconButton
        size="sm"
        className="size-7"
        label={isShown ? t`Hide ${label}` : t`Reveal ${label}`}
        icon={isShown ? <EyeOff /> : eye}
        aria-pressed={isShown}
        onClick={toggle}
      />
      <CopyButton text={text} label={t`Copy ${label}`} onFailed={selectInstead} />
      {mustCopyByHand && (
        <span
          role="status"
          className="ml-1 max-w-32 whitespace-normal text-left text-muted text-xs"
        >
          <Trans>Selected: press Ctrl+C to copy</Trans>
        </span>
      )}
    </span>
  );
}
