let changes = 0;

/** While a change is under way, the service may still return the state before. */
export const isChanging = (): boolean => changes > 0;

export async function whileChanging<Result>(run: () => Promise<Result>): Promise<Result> {
  changes += 1;
  try {
    return await run();
  } finally {
    changes -= 1;
  }
}
