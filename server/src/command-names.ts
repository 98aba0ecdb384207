/** Whether Node runs the TypeScript files of a checkout; an installed package has JavaScript. */
const isCheckout = import.meta.filename.endsWith('.ts');

/** What people type to start the service, and to run a command. */
export const START = isCheckout ? 'npm start --' : 'waybill start';
export const WAYBILL = isCheckout ? 'npm run --silent waybill --' : 'waybill';
