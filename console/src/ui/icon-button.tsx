import clsx from "clsx";
import type { ComponentProps, ReactNode } from "react";
import { buttonStyle } from "./button.tsx";
import { Tooltip } from "./tooltip.tsx";

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
  const button = (
    <button
      type="button"
      aria-label={label}
      {...rest}
      className={clsx(buttonStyle({ variant, size }), size === "sm" ? "w-8 px-0!" : "w-9 px-0!", className)}
    >
      {icon}
    </button>
  );
  return tooltip ? <Tooltip text={label}>{button}</Tooltip> : button;
}
