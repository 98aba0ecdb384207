-- How many messages came in on a day that is over: null until somebody has asked, since counting them at each delivery would
-- have every delivery pay for a figure that few look at.
ALTER TABLE daily_usage ADD COLUMN received bigint;
