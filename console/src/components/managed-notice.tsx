import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/menu/confirm.tsx";
import { toast } from "../ui/toast.tsx";
import { ManagedBadge } from "./managed-badge.tsx";

type ManagedNoticeProps = {
  name: string;
  /** The configuration file; empty for what was made in the console. */
  file: string;
  /** Sends the change that ends the file's ownership. */
  onTakeOver: () => Promise<unknown>;
  /** Shows the form anew, with fields that can be changed. */
  onTaken?: (() => void) | undefined;
  /** `children` is what stays possible. */
  children?: ReactNode;
};

/** Asks, and ends the file's ownership. */
export function TakeOverButton({
  name,
  file,
  onTakeOver,
  onTaken,
}: Omit<ManagedNoticeProps, "children">) {
  const { t } = useLingui();
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button size="sm" aria-label={t`Take over ${name}`} onClick={() => setAsking(true)}>
        <Trans>Take over</Trans>
      </Button>
      <Confirm
        open={isAsking}
        onClose={() => setAsking(false)}
        title={t`Take over ${name}`}
        question={
          <Trans>
            After that you change it here. Applying {file} is refused while it differs, unless you
            run it with --adopt.
          </Trans>
        }
        confirmLabel={<Trans>Take over</Trans>}
        variant="primary"
        onConfirm={async () => {
          await onTakeOver();
          toast(t`${name} is taken over from ${file}`);
          onTaken?.();
        }}
      />
    </>
  );
}

/**
 * Above the form of what a configuration file owns: why it cannot be changed here, and the way to
 * change that.
 */
export function ManagedNotice({ name, file, onTakeOver, onTaken, children }: ManagedNoticeProps) {
  const { t } = useLingui();
  if (file === "") return null;
  return (
    <section
      aria-label={t`Managed by ${file}`}
      className="mb-4 flex max-w-xl flex-col items-start gap-3 rounded-lg border border-line bg-card p-4"
    >
      <ManagedBadge by={file} />
      <p className="[overflow-wrap:anywhere]">
        <Trans>
          The file {file} owns this. The server refuses changes that are made here: change the file
          instead.
        </Trans>
      </p>
      <div className="flex flex-wrap gap-2">
        <TakeOverButton name={name} file={file} onTakeOver={onTakeOver} onTaken={onTaken} />
        {children}
      </div>
    </section>
  );
}
