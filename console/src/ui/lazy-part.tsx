import { type ComponentType, lazy, Suspense } from "react";
import { PartBoundary } from "./part-boundary.tsx";

/**
 * A part of a page whose code loads when it is first drawn, so that it adds nothing to the page's
 * size; it fails alone.
 */
export function buildLazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const Loaded = lazy(async () => ({ default: await load() }));
  return function LazyPart(props: Props) {
    return (
      <PartBoundary>
        <Suspense>
          <Loaded {...props} />
        </Suspense>
      </PartBoundary>
    );
  };
}
