import type { ReactNode } from "react";
import { Card } from "../card.tsx";

/** Beside a form: what the values in it amount to, before they are saved. */
export function FormSummary({ title, children }: { title: ReactNode; children: ReactNode }) {
  return (
    <Card title={title}>
      <dl className="flex flex-col gap-3">{children}</dl>
    </Card>
  );
}

type SummaryLineProps = {
  name: ReactNode;
  /** Something about the value that will surprise. */
  warning?: ReactNode;
  children: ReactNode;
};

export function SummaryLine({ name, warning, children }: SummaryLineProps) {
  return (
    <div className="grid grid-cols-[7rem_minmax(0,1fr)] gap-x-3">
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 tabular-nums [overflow-wrap:anywhere]">
        {children}
        {warning !== undefined && warning !== false && (
          <p className="text-sm text-warn">{warning}</p>
        )}
      </dd>
    </div>
  );
}
