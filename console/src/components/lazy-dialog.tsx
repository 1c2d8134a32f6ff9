import { type ComponentType, lazy, Suspense } from "react";
import { PartBoundary } from "../ui/part-boundary.tsx";

/** A dialog whose code loads when it first opens, so that it adds nothing to the page's size. */
export function lazyDialog<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const Loaded = lazy(async () => ({ default: await load() }));
  return function LazyDialog(props: Props) {
    return (
      <PartBoundary>
        <Suspense>
          <Loaded {...props} />
        </Suspense>
      </PartBoundary>
    );
  };
}
