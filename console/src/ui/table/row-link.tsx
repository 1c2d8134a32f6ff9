import { type NavigateOptions, useRouter } from "@tanstack/react-router";
import clsx from "clsx";
import type { MouseEvent, ReactNode } from "react";
import { buttonStyle } from "./button.tsx";

type RowLinkProps = {
  /** A path of the console; `$id` in it stands for the row. */
  to: NonNullable<NavigateOptions["to"]>;
  id?: string;
  children: ReactNode;
};

/**
 * A link in each row of a list, as a button. The router's own links each follow every navigation; this one asks the router
 * when it is pressed, and loads its page when it is pointed at.
 */
export function RowLink({ to, id = "", children }: RowLinkProps) {
  const router = useRouter();
  const target = { to, params: { id } } as NavigateOptions;
  const open = (event: MouseEvent) => {
    const opensElsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (opensElsewhere || event.button !== 0) return;
    event.preventDefault();
    void router.navigate(target);
  };
  const preload = () => void router.preloadRoute(target as Parameters<typeof router.preloadRoute>[0]);
  return (
    <a
      href={to.replace("$id", encodeURIComponent(id))}
      onClick={open}
      onPointerEnter={preload}
      onFocus={preload}
      className={clsx(buttonStyle({ variant: "ghost", size: "sm" }))}
    >
      {children}
    </a>
  );
}
