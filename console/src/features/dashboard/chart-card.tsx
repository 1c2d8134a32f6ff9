import { useLingui } from "@lingui/react/macro";
import { ChartLine, Table2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { ChartPictureMenu } from "../../components/chart-picture-menu.tsx";
import { FoldingCard } from "../../components/folding-card.tsx";
import { IconButton } from "../../ui/icon-button.tsx";

type ChartCardProps = {
  title: string;
  /** The days of the chart. */
  days: readonly string[];
  chart: ReactNode;
  /** Rendered on demand: a year of days is many cells. */
  table: () => ReactNode;
  action?: ReactNode;
  /**
   * The name under which the browser remembers that the card is folded; undefined for one that
   * stays open.
   */
  fold?: string;
};

/** A chart that can be switched to a table of the same numbers, and taken as a picture. */
export function ChartCard({ title, days, chart, table, action, fold }: ChartCardProps) {
  const { t } = useLingui();
  const [asTable, setAsTable] = useState(false);
  return (
    <FoldingCard
      className="relative"
      fold={fold}
      title={title}
      action={
        <div className="flex min-w-0 items-center gap-2">
          {action !== undefined && <div className="min-w-0">{action}</div>}
          {/* On a phone beside the title, where the switches leave no room for them. */}
          <span className="flex shrink-0 items-center gap-2 max-md:absolute max-md:top-4 max-md:right-4">
            <ChartPictureMenu title={title} period={`${days[0]} – ${days.at(-1)}`} />
            <IconButton
              size="sm"
              label={asTable ? t`${title}: show as chart` : t`${title}: show as table`}
              icon={asTable ? <ChartLine /> : <Table2 />}
              onClick={() => setAsTable(!asTable)}
            />
          </span>
        </div>
      }
    >
      {asTable ? table() : chart}
    </FoldingCard>
  );
}
