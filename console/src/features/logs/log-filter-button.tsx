import { Trans } from "@lingui/react/macro";
import { SlidersHorizontal } from "lucide-react";
import { Button } from "../../ui/button.tsx";
import { type LogFilterValues, logFilterKeys } from "./log-filter-values.ts";

type LogFilterButtonProps = { filter: LogFilterValues; isOpen: boolean; onToggle: () => void };

/** Stands for the filters on a phone, where they would push the entries off the screen. */
export function LogFilterButton({ filter, isOpen, onToggle }: LogFilterButtonProps) {
  const active = logFilterKeys.filter((key) => key !== "keyword" && filter[key] !== "").length;
  return (
    <Button
      data-filters=""
      size="sm"
      icon={<SlidersHorizontal />}
      aria-expanded={isOpen}
      onClick={onToggle}
    >
      {active === 0 ? <Trans>Filters</Trans> : <Trans>Filters ({active})</Trans>}
    </Button>
  );
}
