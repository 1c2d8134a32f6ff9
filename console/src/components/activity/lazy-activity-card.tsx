import { lazyPart } from "../../ui/lazy-part.tsx";

/** Loaded after the form, which is what the page is for. */
export const LazyActivityCard = lazyPart(async () => (await import("./activity-card.tsx")).ActivityCard);
