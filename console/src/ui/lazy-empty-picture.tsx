import type { EmptyScene } from "./empty-picture.tsx";
import { buildLazyPart } from "./lazy-part.tsx";

const EmptyPicture = buildLazyPart(async () => (await import("./empty-picture.tsx")).EmptyPicture);

/**
 * Most lists have entries: the drawing loads where there is none, and nothing moves when it comes.
 */
export const LazyEmptyPicture = ({ scene }: { scene: EmptyScene }) => (
  <div className="flex h-18 justify-center print:hidden">
    <EmptyPicture scene={scene} />
  </div>
);
