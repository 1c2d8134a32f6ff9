import { Trans, useLingui } from "@lingui/react/macro";
import { Fragment, type ReactNode, useId, useState } from "react";
import { Checkbox } from "../ui/form/input.tsx";
import { Dialog } from "../ui/menu/dialog.tsx";
import { paletteKeys } from "./palette-keys.ts";
import { chooseSingleKeys, findKeysOfPage, usesSingleKeys } from "./shortcuts.ts";
import { usePages } from "./use-navigation.ts";

/** The list of shortcuts, and the switch that turns single keys off. */
export function ShortcutSheet({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const pages = usePages()
    .filter(({ key }) => key !== undefined)
    .map((page) => ({ keys: findKeysOfPage(page), text: t(page.title) }));
  return (
    <Dialog open onClose={onClose} title={t`Keyboard shortcuts`} width="lg">
      <div className="grid gap-x-10 gap-y-6 md:grid-cols-2">
        <ShortcutList title={t`Go to`} entries={pages} />
        <div className="flex flex-col gap-6">
          <ShortcutList
            title={t`On every page`}
            entries={[
              { keys: paletteKeys, text: t`Open command palette` },
              { keys: ["/"], text: t`Search in the list` },
              { keys: ["f"], text: t`Filter the list` },
              { keys: ["j", "k"], text: t`Next and previous row` },
              { keys: ["?"], text: t`Show these shortcuts` },
            ]}
          />
          <ShortcutList
            title={t`In menus, lists of choices and charts`}
            entries={[
              { keys: ["↑", "↓"], text: t`Move` },
              { keys: ["Enter"], text: t`Choose` },
              { keys: ["Esc"], text: t`Close` },
            ]}
          />
          <SingleKeySwitch />
        </div>
      </div>
    </Dialog>
  );
}

type ShortcutEntry = { keys: readonly string[] | undefined; text: string };

function ShortcutList({ title, entries }: { title: ReactNode; entries: readonly ShortcutEntry[] }) {
  return (
    <section>
      <h3 className="mb-1 font-medium text-muted text-sm">{title}</h3>
      <dl className="grid grid-cols-[1fr_auto] items-center">
        {entries.map(({ keys, text }) => (
          <Fragment key={text}>
            <dt className="flex min-h-8 items-center border-line border-b">{text}</dt>
            <dd className="flex min-h-8 items-center justify-end gap-1 border-line border-b">
              {(keys ?? []).map((key) => (
                <kbd
                  key={key}
                  className="min-w-6 rounded-sm border border-line bg-page px-1.5 text-center font-mono text-sm leading-5"
                >
                  {key}
                </kbd>
              ))}
            </dd>
          </Fragment>
        ))}
      </dl>
    </section>
  );
}

function SingleKeySwitch() {
  const id = useId();
  const [isOn, setOn] = useState(usesSingleKeys);
  return (
    <div>
      <label htmlFor={id} className="flex items-center gap-2">
        <Checkbox
          id={id}
          checked={isOn}
          aria-describedby={`${id}-help`}
          onChange={({ currentTarget }) => {
            setOn(currentTarget.checked);
            chooseSingleKeys(currentTarget.checked);
          }}
        />
        <Trans>Use single keys as shortcuts</Trans>
      </label>
      <p id={`${id}-help`} className="mt-1 text-muted text-sm">
        <Trans>They are off while you type in a field. The account menu opens this list too.</Trans>
      </p>
    </div>
  );
}
