import { Trans, useLingui } from "@lingui/react/macro";
import clsx from "clsx";
import { CircleCheck, Info, RotateCw, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy-button.tsx";

type AlertTone = "good" | "warn" | "bad" | "info";

const tones: Record<AlertTone, string> = {
  good: "border-good/35 bg-good-soft text-good",
  warn: "border-warn/35 bg-warn-soft text-warn",
  bad: "border-bad/35 bg-bad-soft text-bad",
  info: "border-info/35 bg-info-soft text-info",
};
const icons = { good: CircleCheck, warn: TriangleAlert, bad: TriangleAlert, info: Info };

type AlertProps = {
  tone?: AlertTone;
  title: ReactNode;
  /** Details beyond the title. */
  children?: ReactNode;
  requestId?: string | undefined;
  onRetry?: (() => void) | undefined;
  retrying?: boolean | undefined;
  className?: string | undefined;
};

/**
 * `Alert` shows what happened, the reason, a retry button, and the request id to quote to the
 * operator.
 */
export function Alert({
  tone = "bad",
  title,
  children,
  requestId,
  onRetry,
  retrying,
  className,
}: AlertProps) {
  const { t } = useLingui();
  const Icon = icons[tone];
  return (
    <div
      role={tone === "bad" ? "alert" : "status"}
      className={clsx("flex gap-3 rounded-lg border px-4 py-3", tones[tone], className)}
    >
      <Icon aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 grow [overflow-wrap:anywhere]">
        <p className="font-medium">{title}</p>
        {children !== undefined && <div className="text-ink text-sm">{children}</div>}
        {requestId !== undefined && requestId !== "" && (
          <p className="flex flex-wrap items-center gap-x-1 text-muted text-sm">
            <Trans>
              Request id <code className="font-mono">{requestId}</code>
            </Trans>
            <CopyButton text={requestId} label={t`Copy request id`} />
          </p>
        )}
      </div>
      {onRetry !== undefined && (
        <Button
          size="sm"
          onClick={onRetry}
          busy={retrying}
          icon={<RotateCw />}
          className="self-start"
        >
          <Trans>Retry</Trans>
        </Button>
      )}
    </div>
  );
}
