import { Trans } from "@lingui/react/macro";
import clsx from "clsx";

/** A placeholder of the final size, so that nothing moves when data arrives. */
export function Skeleton({ className }: { className?: string | undefined }) {
  return (
    <span
      aria-hidden="true"
      className={clsx("block animate-pulse rounded-sm bg-hover", className ?? "h-4 w-full")}
    />
  );
}

/** Announces loading to assistive technology while skeletons are shown. */
export function LoadingStatus() {
  return (
    <span role="status" className="sr-only">
      <Trans>Loading...</Trans>
    </span>
  );
}
