import { useLingui } from "@lingui/react/macro";
import clsx from "clsx";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { Input } from "../ui/form/input.tsx";
import { Dialog } from "../ui/menu/dialog.tsx";
import { groupCommands, matchCommands, type PaletteCommand } from "./match-commands.ts";
import { useCommands } from "./palette-commands.ts";
import { usePaletteFinds } from "./palette-finds.ts";

/**
 * The command palette: typing filters pages and actions and searches for things, arrows select,
 * Enter runs.
 */
export function Palette({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const id = useId();
  const commands = useCommands();
  const [text, setText] = useState("");
  const [activeIndex, setActiveIndex] = useState(0);
  const finds = usePaletteFinds(text);
  // What arrives later stands below what is there, so that Enter still runs what was selected.
  const groups = groupCommands([...matchCommands(commands, text), ...finds.commands]);
  // In display order.
  const found = groups.flatMap(([, members]) => members);
  const active = found[activeIndex];
  const note = finds.isSearching
    ? t`Searching...`
    : finds.isIncomplete
      ? t`Some lists could not be searched.`
      : found.length === 0
        ? t`Nothing matches.`
        : "";
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const optionId = (command: PaletteCommand) => `${id}-${command.id}`;

  const choose = (index: number) => {
    setActiveIndex(index);
    const command = found[index];
    if (command !== undefined)
      document.getElementById(optionId(command))?.scrollIntoView({ block: "nearest" });
  };
  const run = (command: PaletteCommand) => {
    onClose();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const last = found.length - 1;
    const next = {
      ArrowDown: activeIndex === last ? 0 : activeIndex + 1,
      ArrowUp: activeIndex === 0 ? last : activeIndex - 1,
      Home: 0,
      End: last,
    }[event.key];
    const isMove = next !== undefined && found.length > 0;
    const isRun = event.key === "Enter" && active !== undefined;
    if (!isMove && !isRun) return;
    event.preventDefault();
    if (isMove) choose(next);
    else if (active !== undefined) run(active);
  };

  return (
    <Dialog open onClose={onClose} title={t`Go to`} width="md">
      <Input
        ref={input}
        role="combobox"
        aria-label={t`Page, action, name or id`}
        aria-expanded={found.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={active === undefined ? undefined : optionId(active)}
        placeholder={t`Type a page, an action, a name or an id...`}
        autoComplete="off"
        enterKeyHint="go"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setActiveIndex(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div className="mt-3 h-[min(50dvh,360px)] overflow-y-auto">
        {found.length > 0 && (
          <div role="listbox" id={`${id}-list`} aria-label={t`Pages, actions and things`}>
            {groups.map(([group, members]) => (
              // biome-ignore lint/a11y/useSemanticElements: a fieldset may not stand in a listbox
              <div key={group} role="group" aria-label={group}>
                <p aria-hidden="true" className="px-2 pt-2 pb-1 font-medium text-muted text-xs">
                  {group}
                </p>
                {members.map((command) => (
                  // The input keeps the focus and announces the active option, so an option is not
                  // focusable.
                  <div
                    key={command.id}
                    id={optionId(command)}
                    role="option"
                    tabIndex={-1}
                    aria-selected={command === active}
                    onPointerMove={() => setActiveIndex(found.indexOf(command))}
                    onPointerDown={(event) => event.preventDefault()}
                    onPointerUp={() => run(command)}
                    className={clsx(
                      "flex h-9 cursor-pointer items-center rounded-md px-2",
                      command === active && "bg-accent-soft font-medium text-accent",
                    )}
                  >
                    <span className="truncate">{command.text}</span>{" "}
                    {command.detail !== undefined && (
                      <span className="ml-2 shrink-0 font-normal text-muted text-sm">
                        {command.detail}
                      </span>
                    )}
                  </div>
                ))}
              </div>
            ))}
          </div>
        )}
        <p role="status" className="px-2 py-2 text-muted text-sm empty:hidden">
          {note}
        </p>
      </div>
    </Dialog>
  );
}
