import clsx from "clsx";
import type { ComponentProps, ReactNode } from "react";
import { buttonStyle } from "./button.tsx";

export type IconButtonProps = Omit<ComponentProps<"button">, "children"> & {
  label: string;
  icon: ReactNode;
  variant?: "secondary" | "ghost";
  size?: "md" | "sm";
  /** Off when a visible label already names the icon. */
  tooltip?: boolean;
};

/** A button with an icon; its label is for assistive technology and the tooltip. */
export function IconButton({
  label,
  icon,
  variant = "ghost",
  size = "md",
  tooltip = true,
  className,
  ...rest
}: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      {...rest}
      // As `Tooltip` sets it.
      data-tip={tooltip && label !== "" ? label : undefined}
      className={clsx(
        buttonStyle({ variant, size }),
        size === "sm" ? "w-8 px-0!" : "w-9 px-0!",
        className,
      )}
    >
      {icon}
    </button>
  );
}
