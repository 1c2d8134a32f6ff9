import { buildLazyPart } from "../../ui/lazy-part.tsx";

/** Loaded after the form, which is what the page is for. */
export const LazyActivityCard = buildLazyPart(
  async () => (await import("./activity-card.tsx")).ActivityCard,
);
