import clsx from "clsx";
import { Check } from "lucide-react";
import type { ReactNode } from "react";
import { menuItemStyle } from "./menu.tsx";

type MenuCheckProps = { checked: boolean; onToggle: () => void; children: ReactNode };

/** An item that switches something on or off. The menu stays open for the next one. */
export function MenuCheck({ checked, onToggle, children }: MenuCheckProps) {
  return (
    <button
      type="button"
      role="menuitemcheckbox"
      tabIndex={-1}
      aria-checked={checked}
      onClick={onToggle}
      className={menuItemStyle}
    >
      <Check aria-hidden="true" className={clsx("text-accent", !checked && "invisible")} />
      {children}
    </button>
  );
}
