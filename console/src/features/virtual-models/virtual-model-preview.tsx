import { Trans, useLingui } from "@lingui/react/macro";
import { Badge } from "../../ui/badge.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { formatPercent } from "../../ui/format.ts";
import { type DraftTier, listTargetShares, type VirtualModelDraft } from "./virtual-model-draft.ts";
import { orderWords, stickyWords } from "./virtual-model-words.ts";

interface VirtualModelPreviewProps {
  draft: VirtualModelDraft;
  /** Targets that no enabled channel serves, as far as the server has said. */
  unserved: readonly string[];
  /** The stored name, whose route can be checked. */
  checkedName?: string;
}

/** `VirtualModelPreview` shows the fate of calls if the form were saved as it stands. */
export function VirtualModelPreview({ draft, unserved, checkedName }: VirtualModelPreviewProps) {
  const { t } = useLingui();
  const { tiers, sticky, isEnabled } = draft;
  const isDrawn = tiers.some(
    ({ strategy, targets }) => strategy === "weights" && targets.length > 1,
  );
  return (
    <Card
      title={<Trans>Preview</Trans>}
      note={<Trans>Uses the unsaved values of the form</Trans>}
      action={
        checkedName !== undefined && (
          <ButtonLink size="sm" to="/tokens/check" search={{ model: checkedName } as never}>
            <Trans>Would this call work?</Trans>
          </ButtonLink>
        )
      }
    >
      {isEnabled ? (
        <ol className="flex flex-col gap-3">
          {tiers.map((tier, index) => (
            <li key={tier.key} className="flex flex-col gap-1">
              {index > 0 && (
                <p className="text-muted">
                  <Trans>When none of these can answer:</Trans>
                </p>
              )}
              <TierForecast tier={tier} unserved={unserved} />
            </li>
          ))}
        </ol>
      ) : (
        <p>
          <Trans>Disabled: calls to this name are answered as if it did not exist.</Trans>
        </p>
      )}
      {isEnabled && isDrawn && (
        <p className="mt-3 text-muted">{t(stickyWords[sticky] ?? stickyWords.none)}.</p>
      )}
    </Card>
  );
}

function TierForecast({
  tier: { strategy, targets },
  unserved,
}: {
  tier: DraftTier;
  unserved: readonly string[];
}) {
  const { t } = useLingui();
  const shares = listTargetShares(targets);
  const isDrawn = strategy === "weights";
  return (
    <>
      {!isDrawn && <p>{t(orderWords[strategy])}</p>}
      <ul className="flex flex-col gap-2">
        {targets.map(({ key, model }, index) => {
          const share = shares[index] ?? 0;
          const percent = formatPercent(share * 100, 0, 2);
          return (
            <li key={key}>
              <p className="flex flex-wrap items-baseline justify-between gap-x-3">
                <span className="flex min-w-0 flex-wrap items-center gap-x-2">
                  <span className="font-mono [overflow-wrap:anywhere]">{model || "…"}</span>
                  {unserved.includes(model) && (
                    <Badge tone="warn">
                      <Trans>Not served by any channel</Trans>
                    </Badge>
                  )}
                </span>
                {isDrawn && (
                  <span className="tabular-nums">
                    {share === 0 ? <Trans>only if no other can</Trans> : t`${percent} of the calls`}
                  </span>
                )}
              </p>
              {isDrawn && (
                <div aria-hidden="true" className="mt-1 h-1.5 rounded-full bg-line">
                  <div
                    className="h-full rounded-full bg-accent"
                    style={{ width: `${share * 100}%` }}
                  />
                </div>
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}
