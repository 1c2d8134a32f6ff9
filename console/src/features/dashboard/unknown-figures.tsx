import { Trans } from "@lingui/react/macro";
import clsx from "clsx";
import { missing } from "../../ui/format.ts";

/**
 * Stands for figures that could not be loaded, which say neither 0 nor that there were no calls.
 * The reason is above the cards.
 */
export function UnknownFigures({ className }: { className?: string }) {
  return (
    <p className={clsx("flex items-center justify-center text-lg text-muted", className)}>
      <span aria-hidden="true">{missing}</span>
      <span className="sr-only">
        <Trans>The figures could not be loaded</Trans>
      </span>
    </p>
  );
}
