import type { Page } from 'playwright-core';
import { lastCode, type World } from './visitor.ts';

export async function signInOn(page: Page, world: World, email: string): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Sign in with a one-time code' }).click();
  await page.getByLabel('Code').waitFor();
  // Typed like a person does it: the sixth digit signs in.
  await page.getByLabel('Code').pressSequentially(await lastCode(world, email));
}
