/** Whether Node runs the TypeScript files of a checkout. An installed package has JavaScript. */
const isCheckout = import.meta.filename.endsWith('.ts');

export const START = isCheckout ? 'npm start --' : 'waybill start';
export const WAYBILL = isCheckout ? 'npm run --silent waybill --' : 'waybill';
