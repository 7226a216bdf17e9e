"""The gate as a good engineer writes it on Temporal alone: one workflow, four activities, one signal, no index."""
