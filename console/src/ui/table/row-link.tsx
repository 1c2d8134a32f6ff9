import { type NavigateOptions, useRouter } from "@tanstack/react-router";
import type { MouseEvent, ReactNode } from "react";
import { buttonStyle } from "../button.tsx";

type RowLinkProps = {
  /** A path of the console; `$id` in it stands for the row. */
  to: NonNullable<NavigateOptions["to"]>;
  id?: string;
  children: ReactNode;
  className?: string;
};

const buttonLook = buttonStyle({ variant: "ghost", size: "sm" });

/** `NameLink` is the name of a row that leads to the page of the thing. */
export const NameLink = ({ children, ...target }: Omit<RowLinkProps, "className">) => (
  <RowLink {...target} className="block rounded-sm text-ink no-underline hover:underline">
    {children}
  </RowLink>
);

/**
 * A link in each row of a list, as a button unless it has a look of its own. The router's own links
 * each follow every navigation; this one asks the router when it is pressed, and loads its page
 * when it is pointed at.
 */
export function RowLink({ to, id = "", children, className = buttonLook }: RowLinkProps) {
  const router = useRouter();
  const target = { to, params: { id } } as NavigateOptions;
  const open = (event: MouseEvent) => {
    const opensElsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (opensElsewhere || event.button !== 0) return;
    event.preventDefault();
    void router.navigate(target);
  };
  const preload = () =>
    void router.preloadRoute(target as Parameters<typeof router.preloadRoute>[0]);
  return (
    <a
      href={
        router.options.basepath + to.replace("/{-$tab}", "").replace("$id", encodeURIComponent(id))
      }
      onClick={open}
      onPointerEnter={preload}
      onFocus={preload}
      className={className}
    >
      {children}
    </a>
  );
}
