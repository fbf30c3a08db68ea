"""Training in the browser: the experiment's form, trainers in processes of their own, charts."""
