import { Trans } from "@lingui/react/macro";
import clsx from "clsx";
import { CircleCheck, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Card } from "../../ui/card.tsx";
import { formatDollars, formatInteger, formatPercent } from "../../ui/format.ts";
import type { UsageTip } from "./tips.ts";

const tipStyles = {
  "high-cost": { icon: TriangleAlert, colour: "text-warn" },
  "most-efficient": { icon: CircleCheck, colour: "text-good" },
  projection: { icon: Info, colour: "text-info" },
  concentration: { icon: Info, colour: "text-info" },
};

export function TipsCard({ tips }: { tips: readonly UsageTip[] }) {
  if (tips.length === 0) return null;
  return (
    <Card title={<Trans>Optimization Tips</Trans>}>
      <ul className="flex flex-col gap-3">
        {tips.map((tip) => {
          const { icon: Icon, colour } = tipStyles[tip.kind];
          const { title, text } = buildTipMessages(tip);
          return (
            <li key={tip.kind} className="flex gap-3">
              <Icon aria-hidden="true" className={clsx("mt-0.5 size-4 shrink-0", colour)} />
              <div className="min-w-0 [overflow-wrap:anywhere]">
                <p className="font-medium">{title}</p>
                <p className="text-muted text-sm">{text}</p>
              </div>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

function buildTipMessages(tip: UsageTip): { title: ReactNode; text: ReactNode } {
  if (tip.kind === "high-cost") {
    const { model } = tip;
    const cost = formatDollars(tip.cost, 4);
    return {
      title: <Trans>High Cost Model Detected</Trans>,
      text: (
        <Trans>
          {model} costs {cost} a request on average. Try a smaller model for simple calls.
        </Trans>
      ),
    };
  }
  if (tip.kind === "most-efficient") {
    const { model } = tip;
    const tokens = formatInteger(Math.round(tip.efficiency));
    return {
      title: <Trans>Most Efficient Model</Trans>,
      text: (
        <Trans>
          {model} gives {tokens} tokens for a dollar.
        </Trans>
      ),
    };
  }
  if (tip.kind === "projection") {
    const monthly = formatDollars(tip.monthly);
    return {
      title: <Trans>Monthly Spending Projection</Trans>,
      text: <Trans>At this pace: about {monthly} in 30 days.</Trans>,
    };
  }
  const percent = formatPercent(tip.percent, 0);
  return {
    title: <Trans>Model Usage Concentration</Trans>,
    text: (
      <Trans>
        The three busiest models take {percent} of the requests. Add a fallback in case one fails.
      </Trans>
    ),
  };
}
