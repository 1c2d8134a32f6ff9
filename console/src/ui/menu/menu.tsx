import { Link, type LinkProps } from "@tanstack/react-router";
import clsx from "clsx";
import { Check } from "lucide-react";
import {
  cloneElement,
  createContext,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  type RefObject,
  use,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { flushSync } from "react-dom";
import { placeBeside } from "./floating.ts";
import { focusByKey, listItems } from "./menu-keys.ts";

type MenuAreaProps = { trigger: ReactElement; children: ReactNode };
type MenuPanelProps = { label?: string; children: ReactNode; align?: "start" | "end" };

type MenuState = {
  id: string;
  /**
   * Counts the openings; 0 while the menu is closed. A boolean would miss closing and opening
   * within one frame.
   */
  opening: number;
  setOpening: (change: (before: number) => number) => void;
  /** True after a press that found no panel, whose code was still loading. */
  isAwaited: RefObject<boolean>;
};

const OpenMenu = createContext<MenuState>({
  id: "",
  opening: 0,
  setOpening: () => {},
  isAwaited: { current: false },
});
const CloseMenu = createContext<() => void>(() => {});

const findTrigger = (id: string) =>
  document.querySelector<HTMLElement>(`[popovertarget="${CSS.escape(id)}"]`);

function showMenu(id: string) {
  const source = findTrigger(id);
  if (source !== null) document.getElementById(id)?.showPopover({ source });
}

/**
 * The browser's popover does layering, closing on Escape and outside clicks, and restoring the
 * focus. Arrow keys and type-ahead are implemented here: a library for all of it is larger than the
 * rest of the sign-in page.
 */
export function Menu({ trigger, ...panel }: MenuPanelProps & { trigger: ReactElement }) {
  return (
    <MenuArea trigger={trigger}>
      <MenuPanel {...panel} />
    </MenuArea>
  );
}

/**
 * The trigger of a menu. What is inside, with the panel in it, is drawn on the first press and
 * stays from then on: a table has a hundred menus, and few are ever opened.
 */
export function MenuArea({ trigger, children }: MenuAreaProps) {
  const id = useId();
  const [opening, setOpening] = useState(0);
  const [isRendered, setRendered] = useState(false);
  const isAwaited = useRef(false);
  const render = () => {
    flushSync(() => setRendered(true));
    isAwaited.current = document.getElementById(id) === null;
  };

  const openByArrow = (event: KeyboardEvent) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    render();
    showMenu(id);
  };

  return (
    <>
      {cloneElement(trigger as ReactElement<Record<string, unknown>>, {
        popoverTarget: id,
        "aria-haspopup": "menu",
        "aria-expanded": opening > 0,
        onClick: render,
        onKeyDown: openByArrow,
      })}
      {isRendered && <OpenMenu value={{ id, opening, setOpening, isAwaited }}>{children}</OpenMenu>}
    </>
  );
}

/** The items of a `MenuArea`. */
export function MenuPanel({ label, children, align = "end" }: MenuPanelProps) {
  const { id, opening, setOpening, isAwaited } = use(OpenMenu);
  const ref = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    if (isAwaited.current) showMenu(id);
    isAwaited.current = false;
  }, [id, isAwaited]);

  useLayoutEffect(() => {
    const menu = ref.current;
    const anchor = opening === 0 ? null : findTrigger(id);
    if (menu === null || anchor === null) return;
    placeBeside(menu, anchor, { align });
    menu.style.visibility = "visible";
    const chosen = menu.querySelector<HTMLElement>('[aria-checked="true"]');
    (chosen ?? listItems(menu)[0])?.focus();
  }, [opening, align, id]);

  return (
    <div
      ref={ref}
      id={id}
      role="menu"
      tabIndex={-1}
      popover="auto"
      aria-label={label}
      onToggle={(event) => {
        const opens = event.newState === "open";
        setOpening((before) => (opens ? before + 1 : 0));
      }}
      onKeyDown={(event) => focusByKey(event)}
      className="invisible fixed inset-auto m-0 max-h-[70dvh] min-w-44 max-w-80 overflow-y-auto rounded-lg border-0 bg-raised p-1 text-ink shadow-float outline-none"
    >
      <CloseMenu value={() => ref.current?.hidePopover()}>{opening > 0 && children}</CloseMenu>
    </div>
  );
}

export const menuItemStyle =
  "flex min-h-8 w-full select-none items-center gap-2 rounded-md px-2 py-1 text-start text-base outline-none hover:bg-hover focus:bg-hover focus-visible:outline-2 focus-visible:-outline-offset-2 [&_svg]:size-4 [&_svg]:shrink-0";

type MenuItemProps = {
  children: ReactNode;
  onSelect: () => void;
  icon?: ReactNode;
  tone?: "bad";
  disabled?: boolean;
};

export function MenuItem({ children, onSelect, icon, tone, disabled = false }: MenuItemProps) {
  const close = use(CloseMenu);
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      aria-disabled={disabled || undefined}
      onClick={() => {
        if (disabled) return;
        // Closes first: the focus is back on the opener, and a dialog that opens now restores it
        // there.
        close();
        onSelect();
      }}
      className={clsx(menuItemStyle, disabled ? "text-faint" : tone === "bad" && "text-bad")}
    >
      {icon}
      {children}
    </button>
  );
}

type MenuLinkProps = {
  to: LinkProps["to"];
  params?: LinkProps["params"];
  children: ReactNode;
  icon?: ReactNode;
};

export function MenuLink({ children, icon, to, params }: MenuLinkProps) {
  const close = use(CloseMenu);
  return (
    <Link
      role="menuitem"
      tabIndex={-1}
      onClick={close}
      {...(to === undefined ? {} : { to })}
      {...(params === undefined ? {} : { params })}
      className={clsx(menuItemStyle, "no-underline")}
    >
      {icon}
      {children}
    </Link>
  );
}

type MenuChoiceProps<T extends string> = {
  label: string;
  value: T;
  onChange: (value: T) => void;
  options: readonly { value: T; label: string; icon?: ReactNode }[];
};

/** A group of options with the chosen one marked. */
export function MenuChoice<T extends string>({
  label,
  value,
  onChange,
  options,
}: MenuChoiceProps<T>) {
  const close = use(CloseMenu);
  return (
    // biome-ignore lint/a11y/useSemanticElements: inside a menu the choices are menu items, not form fields
    <div role="group" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          role="menuitemradio"
          tabIndex={-1}
          aria-checked={option.value === value}
          onClick={() => {
            close();
            onChange(option.value);
          }}
          className={menuItemStyle}
        >
          {option.icon}
          <span className="grow">{option.label}</span>
          {option.value === value && <Check aria-hidden="true" className="text-accent" />}
        </button>
      ))}
    </div>
  );
}

export function MenuHeading({ children }: { children: ReactNode }) {
  return <div className="px-2 py-1.5 text-muted text-sm">{children}</div>;
}

export const MenuLine = () => <hr className="-mx-1 my-1 border-line" />;
