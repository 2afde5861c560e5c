"""Who does the work: this process, processes of this machine, or the workers of a dask cluster."""
