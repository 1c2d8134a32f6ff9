import { useLingui } from "@lingui/react/macro";
import { CopyButton } from "../ui/copy-button.tsx";
import { ScrollRegion } from "../ui/scroll-region.tsx";

/** A block of code under its caption; `isCopied` for what is typed elsewhere. */
export function CaptionedCode({
  label,
  code,
  isCopied,
}: {
  label: string;
  code: string;
  isCopied?: boolean;
}) {
  const { t } = useLingui();
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <p className="flex min-h-8 items-center justify-between gap-2 text-muted text-sm">
        {label}
        {isCopied && <CopyButton text={code} label={t`Copy code`} />}
      </p>
      <ScrollRegion label={label} className="max-h-96 overflow-auto rounded-md bg-sunken p-3">
        <pre className="font-mono text-sm">{code}</pre>
      </ScrollRegion>
    </div>
  );
}
