import type { MessageDescriptor } from "@lingui/core";
import { Trans, useLingui } from "@lingui/react/macro";
import { Ellipsis, X } from "lucide-react";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { formatInteger } from "../../ui/format.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { Menu, MenuItem } from "../../ui/menu/menu.tsx";
import { BulkDialog } from "./bulk-dialog.tsx";
import type { BulkCall, BulkVerb } from "./bulk-verb.ts";
import type { ChosenRows } from "./use-row-selection.ts";

type BulkBarProps = BulkCall & {
  verbs: readonly BulkVerb[];
  chosen: ChosenRows;
  /** An act with a dialog of its own, in the menu. */
  other?: { label: MessageDescriptor; onSelect: () => void };
};

/**
 * `BulkBar` shows what can be done with the chosen rows; it stays in sight while the list scrolls.
 */
export function BulkBar({ verbs, chosen, other, ...call }: BulkBarProps) {
  const { t, i18n } = useLingui();
  const [asked, setAsked] = useState<BulkVerb>();
  const count = formatInteger(chosen.ids.size);
  const inMenu = verbs.filter(({ isInMenu }) => isInMenu === true);
  return (
    <section
      aria-label={t`Act on the selected rows`}
      className="sticky bottom-4 z-10 mx-auto mt-4 flex w-fit max-w-full animate-[rise-in_150ms] flex-wrap items-center gap-1.5 rounded-lg bg-raised px-2 py-2 shadow-float"
    >
      <IconButton size="sm" label={t`Clear the selection`} icon={<X />} onClick={chosen.clear} />
      <p role="status" className="mr-1 font-medium text-sm tabular-nums">
        <Trans>{count} selected</Trans>
      </p>
      {verbs
        .filter(({ isInMenu }) => isInMenu !== true)
        .map((verb) => (
          <Button key={verb.id} size="sm" onClick={() => setAsked(verb)}>
            {i18n._(verb.label)}
          </Button>
        ))}
      {(inMenu.length > 0 || other !== undefined) && (
        <Menu
          label={t`More actions for the selected rows`}
          trigger={
            <Button size="sm" icon={<Ellipsis />}>
              <Trans>More</Trans>
            </Button>
          }
        >
          {other !== undefined && (
            <MenuItem onSelect={other.onSelect}>{i18n._(other.label)}</MenuItem>
          )}
          {inMenu.map((verb) => (
            <MenuItem
              key={verb.id}
              {...(verb.isDanger === true && { tone: "bad" })}
              onSelect={() => setAsked(verb)}
            >
              {i18n._(verb.label)}
            </MenuItem>
          ))}
        </Menu>
      )}
      {asked !== undefined && (
        <BulkDialog
          {...call}
          verb={asked}
          ids={[...chosen.ids]}
          onDone={chosen.clear}
          onClose={() => setAsked(undefined)}
        />
      )}
    </section>
  );
}
