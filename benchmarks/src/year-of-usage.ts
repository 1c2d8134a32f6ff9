/** A fixed year of usage by 15 models, as the dashboard receives it. */
const dayMs = 86_400_000;
const days = 365;
export const modelsOfYear = 15;

const isoDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

export function yearOfUsage(now = Date.now()) {
  const first = now - (days - 1) * dayMs;
  const logs = Array.from({ length: days * modelsOfYear }, (_, index) => {
    const day = Math.floor(index / modelsOfYear);
    const model = index % modelsOfYear;
    const requests = 20 + ((day * 7 + model * 13) % 90);
    return {
      Day: isoDay(first + day * dayMs),
      ModelName: `model-${model + 1}`,
      RequestCount: requests,
      Quota: requests * 900 * (model + 1),
      PromptTokens: requests * 700,
      CompletionTokens: requests * 210,
    };
  });
  const data = { logs, total_quota: 5_000_000, used_quota: 123_456, status: "All Active" };
  return { from: isoDay(first), to: isoDay(now), reply: { success: true, message: "", data } };
}
